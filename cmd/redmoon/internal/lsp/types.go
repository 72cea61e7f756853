package lsp

import "encoding/json"

// The parts of the protocol that the server uses, with the names of the specification.
type (
	documentID struct {
		URI string `json:"uri"`
	}
	versionedID struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	}
	openParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
	}
	changeParams struct {
		TextDocument versionedID `json:"textDocument"`
		Changes      []change    `json:"contentChanges"`
	}
	documentParams struct {
		TextDocument documentID `json:"textDocument"`
	}
	positionParams struct {
		Position position `json:"position"`
	}
	referenceParams struct {
		Position position `json:"position"`
		Context  struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}
	renameParams struct {
		Position position `json:"position"`
		NewName  string   `json:"newName"`
	}
	actionParams struct {
		Range   span `json:"range"`
		Context struct {
			Only []string `json:"only"`
		} `json:"context"`
	}
	formattingParams struct {
		Options struct {
			TabSize      int   `json:"tabSize"`
			InsertSpaces *bool `json:"insertSpaces"` // nil: the client says nothing
		} `json:"options"`
	}
	cancelParams struct {
		ID json.RawMessage `json:"id"`
	}

	initializeParams struct {
		Capabilities clientCapabilities `json:"capabilities"`
	}
	clientCapabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Workspace struct {
			WorkspaceEdit struct {
				DocumentChanges bool `json:"documentChanges"`
			} `json:"workspaceEdit"`
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
		TextDocument struct {
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
			Completion struct {
				CompletionItem struct {
					DocumentationFormat []string `json:"documentationFormat"`
				} `json:"completionItem"`
			} `json:"completion"`
			SignatureHelp struct {
				SignatureInformation struct {
					DocumentationFormat  []string `json:"documentationFormat"`
					ParameterInformation struct {
						LabelOffsetSupport bool `json:"labelOffsetSupport"`
					} `json:"parameterInformation"`
				} `json:"signatureInformation"`
			} `json:"signatureHelp"`
			DocumentSymbol struct {
				Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
			} `json:"documentSymbol"`
		} `json:"textDocument"`
	}

	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	documentEdit struct {
		TextDocument versionedID `json:"textDocument"`
		Edits        []textEdit  `json:"edits"`
	}
	workspaceEdit struct {
		Changes         map[string][]textEdit `json:"changes,omitempty"`
		DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
		Range    span   `json:"range"`
	}
	completionItem struct {
		Label         string    `json:"label"`
		Kind          int       `json:"kind"`
		Tags          []int     `json:"tags,omitempty"`
		Detail        string    `json:"detail,omitempty"`
		Documentation *markup   `json:"documentation,omitempty"`
		SortText      string    `json:"sortText"`
		FilterText    string    `json:"filterText,omitempty"`
		TextEdit      *textEdit `json:"textEdit"`
	}
	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}
	parameter struct {
		Label any `json:"label"`
	}
	signature struct {
		Label           string      `json:"label"`
		Documentation   *markup     `json:"documentation,omitempty"`
		Parameters      []parameter `json:"parameters"`
		ActiveParameter int         `json:"activeParameter"`
	}
	signatureHelp struct {
		Signatures      []signature `json:"signatures"`
		ActiveSignature int         `json:"activeSignature"`
		ActiveParameter int         `json:"activeParameter"`
	}
	highlight struct {
		Range span `json:"range"`
		Kind  int  `json:"kind"`
	}
	documentSymbol struct {
		Name           string           `json:"name"`
		Detail         string           `json:"detail,omitempty"`
		Kind           int              `json:"kind"`
		Range          span             `json:"range"`
		SelectionRange span             `json:"selectionRange"`
		Children       []documentSymbol `json:"children,omitempty"`
	}
	symbolInformation struct {
		Name     string   `json:"name"`
		Kind     int      `json:"kind"`
		Location location `json:"location"`
	}
	foldingRange struct {
		StartLine int    `json:"startLine"`
		EndLine   int    `json:"endLine"`
		Kind      string `json:"kind,omitempty"`
	}
	diagnostic struct {
		Range    span   `json:"range"`
		Severity int    `json:"severity"`
		Code     string `json:"code"`
		Source   string `json:"source"`
		Message  string `json:"message"`
		Tags     []int  `json:"tags,omitempty"`
	}
	publishParams struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
		Edit        *workspaceEdit `json:"edit"`
	}
)

// Numbers of the protocol.
const (
	codeNotInitialized   = -32002
	codeRequestFailed    = -32803
	codeContentModified  = -32801
	codeRequestCancelled = -32800

	severityError       = 1
	severityWarning     = 2
	severityInformation = 3

	tagUnnecessary = 1 // of a diagnostic
	tagDeprecated  = 1 // of a completion

	highlightRead  = 2
	highlightWrite = 3

	symbolFunction = 12
	symbolVariable = 13
	symbolEvent    = 24
)
