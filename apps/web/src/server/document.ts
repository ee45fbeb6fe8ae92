import type { Head } from '../site/page.ts'

/** The parts of a document. */
export interface DocumentParts {
  readonly head: Head
  /** The absolute URL without its query, for sharing. */
  readonly url: string
  readonly theme: 'light' | 'dark' | undefined
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  /** Modules that the first script will import. */
  readonly preloads: readonly string[]
  /** Rendered by React, which escapes its values. */
  readonly body: string
  /** The JSON data with which the browser takes over the page. */
  readonly state: unknown
}

const NAME = 'Farebox'

/** The HTML of a page. It contains no inline script, style or event handler, because the policy allows none. */
export function writeDocument(parts: DocumentParts): string {
  const { head, url, theme } = parts
  const title = head.title === NAME ? NAME : `${head.title} · ${NAME}`
  const lines = [
    '<!doctype html>',
    `<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    ...describe(head, title, url),
    '<link rel="icon" href="/icon.svg" type="image/svg+xml">',
    ...parts.styles.map(href => `<link rel="stylesheet" href="${escapeHtml(href)}">`),
    ...parts.preloads.map(href => `<link rel="modulepreload" href="${escapeHtml(href)}">`),
    ...parts.scripts.map(src => `<script type="module" src="${escapeHtml(src)}"></script>`),
    '</head>',
    '<body>',
    `<div id="root">${parts.body}</div>`,
    `<script type="application/json" id="state">${jsonForScript(parts.state)}</script>`,
    '</body>',
    '</html>',
  ]
  return `${lines.join('\n')}\n`
}

function describe({ description, hidden, personal }: Head, title: string, url: string): readonly string[] {
  if (hidden === true || personal === true) return ['<meta name="robots" content="noindex">']
  const text = escapeHtml(description ?? '')
  return [
    `<meta name="description" content="${text}">`,
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    `<meta property="og:title" content="${escapeHtml(title)}">`,
    `<meta property="og:description" content="${text}">`,
    `<meta property="og:url" content="${escapeHtml(url)}">`,
    '<meta property="og:type" content="website">',
    `<meta property="og:site_name" content="${NAME}">`,
    '<meta name="twitter:card" content="summary">',
  ]
}

/** JSON for a script element, escaped so that it can neither end the element nor begin another one. */
function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for element content and for attributes in double quotes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
