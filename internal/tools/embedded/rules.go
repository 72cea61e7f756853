package embedded

// Rule is a use that makes a string a script. It has one of Call, Field, Word, Tag, Comment and
// Text.
type Rule struct {
	// ID names the rule, for people.
	ID string
	// Languages are go, javascript (and TypeScript), python, ruby, php, java, kotlin, csharp and
	// rust. None: all of them.
	Languages []string
	// Call is the name of a function, a method or a class: "NewScript". With ".eval" something must
	// stand before the dot, and with "redis.NewScript" that name.
	Call string
	// Argument is the argument of Call that is the script, from 1. 0: the first that is a string
	// and looks like a script.
	Argument int
	// Field is the name of a field or a key whose value is the script. With "*.lua" the name ends so.
	Field string
	// Word is a string, such as "EVAL" in any case, that has the script behind it: the next argument
	// or element.
	Word string
	// Tag is the name of a heredoc, or the one in front of a template, in any case.
	Tag string
	// Comment is the text of a comment before the script, in any case. What follows it in the comment
	// is the name of the script.
	Comment string
	// Text says that any string counts that is a program of Lua and uses Redis's functions.
	Text bool
	// Looks says that the string must also look like a script, because others are used like this
	// too.
	Looks bool
	// Compiles says that the string must compile as Lua.
	Compiles bool
}

// Rules returns the rules that Find has by default.
func Rules() []Rule {
	js, py, jvm := []string{"javascript"}, []string{"python"}, []string{"java", "kotlin"}
	return []Rule{
		{ID: "comment", Comment: "redmoon:lua"},
		{ID: "comment-lua", Comment: "lua"},
		{ID: "comment-language", Comment: "language=lua"},
		{ID: "tag", Tag: "lua"},
		{ID: "tag-script", Tag: "lua_script"},
		{ID: "tag-redis", Tag: "redis_lua"},
		{ID: "new-script", Languages: []string{"go"}, Call: "redis.NewScript"},
		{ID: "new-script-any", Languages: []string{"go"}, Call: "NewScript", Looks: true},
		{ID: "new-script-server-sha", Languages: []string{"go"}, Call: "NewScriptServerSHA"},
		{ID: "new-lua-script", Languages: []string{"go"}, Call: "NewLuaScript"},
		{ID: "new-lua-script-no-sha", Languages: []string{"go"}, Call: "NewLuaScriptNoSha"},
		{ID: "new-lua-script-read-only", Languages: []string{"go"}, Call: "NewLuaScriptReadOnly"},
		{ID: "define-command", Languages: js, Call: ".defineCommand"},
		{ID: "define-script", Languages: js, Call: "defineScript"},
		{ID: "create-script", Languages: js, Call: ".createScript", Looks: true},
		{ID: "field-lua", Languages: js, Field: "lua", Looks: true},
		{ID: "field-script", Languages: js, Field: "SCRIPT", Looks: true},
		{ID: "field-file", Field: "*.lua", Compiles: true},
		{ID: "register-script", Languages: py, Call: ".register_script", Argument: 1},
		{ID: "script-load", Call: ".script_load", Looks: true},
		{ID: "script-load-camel", Call: ".scriptLoad", Looks: true},
		{ID: "script-load-pascal", Call: ".ScriptLoad", Looks: true},
		{ID: "script-load-async", Call: ".ScriptLoadAsync", Looks: true},
		{ID: "function-load", Call: ".function_load"},
		{ID: "function-load-camel", Call: ".functionLoad"},
		{ID: "function-load-pascal", Call: ".FunctionLoad"},
		{ID: "eval", Call: ".eval", Looks: true},
		{ID: "eval-pascal", Call: ".Eval", Looks: true},
		{ID: "eval-read-only", Call: ".eval_ro", Looks: true},
		{ID: "eval-read-only-camel", Call: ".evalReadOnly", Looks: true},
		{ID: "eval-read-only-pascal", Call: ".EvalRO", Looks: true},
		{ID: "eval-async", Languages: jvm, Call: ".evalAsync", Looks: true},
		{ID: "redisson-write", Languages: jvm, Call: "evalWriteAsync", Looks: true},
		{ID: "redisson-read", Languages: jvm, Call: "evalReadAsync", Looks: true},
		{ID: "spring-script", Languages: jvm, Call: "DefaultRedisScript", Argument: 1, Looks: true},
		{ID: "spring-script-of", Languages: jvm, Call: "RedisScript.of", Argument: 1},
		{ID: "spring-set-text", Languages: jvm, Call: "setScriptText", Argument: 1},
		{ID: "spring-static-source", Languages: jvm, Call: "StaticScriptSource", Argument: 1, Looks: true},
		{ID: "lua-prepare", Languages: []string{"csharp"}, Call: "LuaScript.Prepare", Argument: 1},
		{ID: "script-evaluate", Languages: []string{"csharp"}, Call: ".ScriptEvaluate"},
		{ID: "script-evaluate-async", Languages: []string{"csharp"}, Call: ".ScriptEvaluateAsync"},
		{ID: "rust-script", Languages: []string{"rust"}, Call: "Script.new", Argument: 1},
		{ID: "word-eval", Word: "eval", Looks: true},
		{ID: "word-eval-read-only", Word: "eval_ro", Looks: true},
		{ID: "word-load", Word: "load", Looks: true},
		{ID: "text", Text: true},
	}
}

func (r Rule) isFor(language string) bool {
	for _, l := range r.Languages {
		if l == language {
			return true
		}
	}
	return len(r.Languages) == 0
}
