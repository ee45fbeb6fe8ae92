/**
 * The words of a text, as search compares them: without case, accents, invisible characters and punctuation, each
 * once, in the order in which they first come.
 *
 * What is written in one piece is a word in one piece and in its parts: `translateText` is found as `translatetext`,
 * `translate` and `text`. Chinese and Japanese, which leave no gaps, are cut into pairs of characters.
 *
 * @param most how many at most
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

/** The words of a question: as {@link wordsOf}, but what is written in one piece is meant in one piece. */
export function askedWords(text: string, most: number): readonly string[] {
  const words = new Set(piecesOf(text).flatMap(piece => cutUngapped(fold(piece))))
  return [...words].slice(0, most)
}

/** Under which two spellings of a name are the same name: its words in order, repeated ones too. */
export function nameKey(name: string): string {
  const key = piecesOf(name)
    .map(piece => fold(piece))
    .join(' ')
  return [...key].slice(0, MOST_CHARACTERS_OF_A_NAME).join('')
}

/** A capability's or a field's name as it is compared: without case; undefined where none would ask for it. */
export function exactKey(name: string): string | undefined {
  const key = visible(name).normalize('NFKC').toLowerCase().trim()
  return key === '' || key.length > MOST_CHARACTERS_OF_A_KEY ? undefined : key
}

/** Nothing longer is read; the texts of a declaration are shorter. */
const MOST_CHARACTERS_OF_A_TEXT = 8_192
const MOST_CHARACTERS_OF_A_WORD = 40
const MOST_CHARACTERS_OF_A_KEY = 128
const MOST_CHARACTERS_OF_A_NAME = 64

const PIECE = /[\p{L}\p{N}\p{M}]+/gu
const WHERE_PARTS_MEET = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const UNGAPPED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{3,}$/u
const LATIN_MARKS = /[\u0300-\u036f]/g
/** All that JavaScript takes for white space but the one that is not seen. */
const SPACE = /[^\S\ufeff]+/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu

/** Nearly all words are so, and nothing has to be done to them. */
const PLAIN = /^[a-z]{1,40}$/

function waysToAsk(piece: string): readonly string[] {
  if (PLAIN.test(piece)) return [piece]
  return [piece, ...piece.split(WHERE_PARTS_MEET)].flatMap(part => cutUngapped(fold(part)))
}

function piecesOf(text: string): readonly string[] {
  return visible(text.slice(0, MOST_CHARACTERS_OF_A_TEXT)).normalize('NFKC').match(PIECE) ?? []
}

/** Without what splits or lengthens a word and is not seen; what ends a line still parts words. */
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
