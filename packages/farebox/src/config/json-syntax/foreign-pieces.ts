import { bareKey, commentFault, otherQuotes, SYNTAX, wordFault, type SyntaxFault } from './syntax-faults.ts'

/** A piece of a text that is not part of JSON's syntax. */
export interface ForeignPiece {
  /** Offset in the text, inclusive; `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** The length of its replacement in `json`. */
  readonly length: number
  /** The fault, when the piece is read as a value. */
  readonly fault: SyntaxFault
  readonly keyFault: SyntaxFault
  /** The intended text; undefined for a piece between values. */
  readonly inner: string | undefined
}

/** A file in another language consists of such pieces; a full list of them would be useless. */
const MAX_PIECES = 1_000

/**
 * Replaces the pieces that JSON does not have, so that a JSON parser can read the whole text: each bare word and each
 * text in other quotes becomes a text in double quotes, each comment and invisible character an empty comment. Returns
 * the replaced pieces by their offsets in `json`.
 */
export function replaceForeign(text: string): {
  readonly json: string
  readonly pieces: ReadonlyMap<number, ForeignPiece>
} {
  const pieces = new Map<number, ForeignPiece>()
  let json = ''
  let done = 0
  for (const { 0: written, index, groups = {} } of text.matchAll(PIECES)) {
    const piece = explainPiece(written, groups)
    if (piece === undefined) continue
    if (pieces.size === MAX_PIECES) break
    json += text.slice(done, index)
    done = index + written.length
    const standIn = piece.inner === undefined ? '/**/' : JSON.stringify(piece.inner)
    pieces.set(json.length, { ...piece, start: index, end: done, length: standIn.length })
    json += standIn
  }
  return { json: json + text.slice(done), pieces }
}

/** Describes the fault of a piece; undefined for valid JSON. */
function explainPiece(
  written: string,
  { quoted, comment, odd, word }: { readonly [kind: string]: string | undefined },
): Pick<ForeignPiece, 'fault' | 'keyFault' | 'inner'> | undefined {
  if (word !== undefined) {
    // `1,000` is read as a number and a word that would be a key.
    return { fault: wordFault(word), keyFault: /^\d/.test(word) ? SYNTAX.noKey : bareKey(word), inner: word }
  }
  const inner = quoted?.slice(1).replace(/['`”“»"]$/, '')
  const fault =
    (inner !== undefined && otherQuotes(inner)) ||
    (comment !== undefined && commentFault(comment)) ||
    (odd !== undefined && SYNTAX.invisible)
  return fault ? { fault, keyFault: fault, inner } : undefined
}

const ODD = String.raw`\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2060\ufeff`
const WORD = String.raw`(?:(?!/[/*])[^\s{}[\],:;"${ODD}])+`

/**
 * The order of the alternatives matters. A text that is not closed ends at the end of its line. Several words on one
 * line are one piece.
 */
const PIECES = new RegExp(
  [
    String.raw`"[^"\\\r\n]*(?:\\[^\r\n][^"\\\r\n]*)*(?:"|\\?)`,
    String.raw`(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![^\s{}[\],:;"/${ODD}])`,
    String.raw`(?<quoted>'(?:[^'\\\r\n]|\\[^\r\n])*'?|\x60[^\x60]*\x60?|[“„«”][^”“»"\r\n]*[”“»"]?)`,
    String.raw`(?<comment>//[^\r\n]*|#[^\r\n]*|/\*[^]*?(?:\*/|$))`,
    String.raw`(?<odd>(?:(?![ \t\r\n])[\s${ODD}])+)`,
    String.raw`(?<word>\$\{\w+\}|\w+://[^\s"',]+|;|${WORD}(?:[ \t]+(?![#'\x60“„«”])${WORD})*)`,
  ].join('|'),
  'g',
)
