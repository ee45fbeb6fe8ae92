/**
 * The words of a text in the form that search compares: without case, accents, invisible characters and punctuation, each
 * word once, in the order of first occurrence.
 *
 * A compound word is returned whole and as its parts: `translateText` gives `translatetext`, `translate` and `text`.
 * Chinese and Japanese text, which has no spaces, is split into pairs of characters.
 *
 * @param most the maximum number of words
 */
export function wordsOf(text: string, most: number): readonly string[] {
  const words = new Set<string>()
  for (const piece of piecesOf(text)) {
    for (const word of waysToAsk(piece)) {
      if (words.size === most) return [...words]
      words.add(word)
    }
  }
  return [...words]
}

/** The words of a search query: like {@link wordsOf}, but a compound word is returned only as a whole. */
export function askedWords(text: string, most: number): readonly string[] {
  const words = new Set(piecesOf(text).flatMap(piece => cutUngapped(fold(piece))))
  return [...words].slice(0, most)
}

/** The key under which two spellings of a name are equal: its normalized words in order, including repeated ones. */
export function nameKey(name: string): string {
  const key = piecesOf(name)
    .map(piece => fold(piece))
    .join(' ')
  return [...key].slice(0, MOST_CHARACTERS_OF_A_NAME).join('')
}

/**
 * The normalized name of a capability or field, for comparison without case; `undefined` when it is empty or too long to
 * search for.
 */
export function exactKey(name: string): string | undefined {
  const key = visible(name).normalize('NFKC').toLowerCase().trim()
  return key === '' || key.length > MOST_CHARACTERS_OF_A_KEY ? undefined : key
}

/** Text beyond this length is ignored; the texts of a declaration are shorter. */
const MOST_CHARACTERS_OF_A_TEXT = 8_192
const MOST_CHARACTERS_OF_A_WORD = 40
const MOST_CHARACTERS_OF_A_KEY = 128
const MOST_CHARACTERS_OF_A_NAME = 64

const PIECE = /[\p{L}\p{N}\p{M}]+/gu
const WHERE_PARTS_MEET = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const UNGAPPED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{3,}$/u
const LATIN_MARKS = /[\u0300-\u036f]/g
/** Every character that JavaScript treats as white space, except the invisible U+FEFF. */
const SPACE = /[^\S\ufeff]+/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu

/** Nearly all words match this and need no processing. */
const PLAIN = /^[a-z]{1,40}$/

function waysToAsk(piece: string): readonly string[] {
  if (PLAIN.test(piece)) return [piece]
  return [piece, ...piece.split(WHERE_PARTS_MEET)].flatMap(part => cutUngapped(fold(part)))
}

function piecesOf(text: string): readonly string[] {
  return visible(text.slice(0, MOST_CHARACTERS_OF_A_TEXT)).normalize('NFKC').match(PIECE) ?? []
}

/**
 * Removes invisible characters that would split or lengthen a word. Line breaks become spaces, so they still separate
 * words.
 */
function visible(text: string): string {
  return text.replace(SPACE, ' ').replace(INVISIBLE, '')
}

function fold(word: string): string {
  const folded = word.toLowerCase().normalize('NFKD').replace(LATIN_MARKS, '').normalize('NFKC')
  return [...folded].slice(0, MOST_CHARACTERS_OF_A_WORD).join('')
}

function cutUngapped(word: string): readonly string[] {
  if (word === '') return []
  if (!UNGAPPED.test(word)) return [word]
  const characters = [...word]
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`)
}
