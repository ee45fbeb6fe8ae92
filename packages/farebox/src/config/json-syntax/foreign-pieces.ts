import { bareKey, commentFault, otherQuotes, SYNTAX, wordFault, type SyntaxFault } from './syntax-faults.ts'

/** A piece of a text that JSON does not have. */
export interface ForeignPiece {
  /** In the text, up to `end`. */
  readonly start: number
  readonly end: number
  /** Of what is in its place. */
  readonly length: number
  /** What is wrong with it. */
  readonly fault: SyntaxFault
  readonly keyFault: SyntaxFault
  /** The text that somebody meant; undefined for what is between values. */
  readonly inner: string | undefined
}

/** Of a file in another language everything is wrong, and nobody reads it all. */
const MAX_PIECES = 1_000

/**
 * A text that a parser of JSON can read on in: with a text in double quotes for each word and text without them, and an
 * empty comment for each comment and invisible character. The pieces that are replaced, by their places in `json`.
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

/** Undefined for what is JSON. */
function explainPiece(
  written: string,
  { quoted, comment, odd, word }: { readonly [kind: string]: string | undefined },
): Pick<ForeignPiece, 'fault' | 'keyFault' | 'inner'> | undefined {
  if (word !== undefined) {
    // 1,000 is a number and what begins like a key.
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

/** In this order; texts end at the end of their line where nothing closes them. Words of one line are one piece. */
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
