import { foreignText } from '@farebox/client/internal/exchange/foreign-text'

/** Text that is HTML: made by {@link html} alone, so that nothing gets into a page unescaped. */
export interface Html {
  readonly html: string
}

/** What stands between the parts of a template: text is escaped, HTML and lists of it are not. */
export type HtmlPart = string | number | Html | readonly Html[]

/** HTML with what is filled in escaped, for element content and for attributes in double quotes. */
export function html(fixed: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = fixed[0] ?? ''
  parts.forEach((part, index) => {
    text += toHtml(part) + (fixed[index + 1] ?? '')
  })
  return { html: text }
}

/** HTML from a file of ours, or of our own making otherwise. Never for anything from outside. */
export function trustedHtml(text: string): Html {
  return { html: text }
}

/** A value for a `<script type="application/json">`: nothing in it can end the element or begin another. */
export function jsonForScript(value: unknown): Html {
  const json = JSON.stringify(value)
  return {
    html: json.replaceAll(
      /[<>&\u2028\u2029]/g,
      one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  }
}

/** Untrusted text as a line of so many characters at most: no line breaks, nothing that turns text around. */
export function untrustedLine(text: string, maxCharacters: number): string {
  const line = foreignText(text.slice(0, 4 * maxCharacters))
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : line
}

function toHtml(part: HtmlPart): string {
  if (typeof part === 'string') return escape(part)
  if (typeof part === 'number') return String(part)
  if ('html' in part) return part.html
  return part.map(({ html }) => html).join('')
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
