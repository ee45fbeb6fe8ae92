/** An image found in a text. */
export interface ImageFound {
  readonly type: 'image/svg+xml' | 'image/png'
  readonly ending: 'svg' | 'png'
  readonly bytes: Uint8Array<ArrayBuffer>
}

const MOST_CHARACTERS = 4_000_000
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Detects an image in a text: SVG, or PNG in base64 or as a `data:` URL. Decides by its bytes, not by its field. */
export function readImage(text: string): ImageFound | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<svg[\s>]/i.test(text.slice(0, 2_000)))
    return { type: 'image/svg+xml', ending: 'svg', bytes: new TextEncoder().encode(text) }
  const base64 = text.replace(/^data:image\/png;base64,/, '').replaceAll(/\s/g, '')
  if (!base64.startsWith('iVBORw0KGgo') || !/^[A-Za-z0-9+/]+=*$/.test(base64)) return undefined
  try {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
    return PNG.every((byte, index) => bytes[index] === byte)
      ? { type: 'image/png', ending: 'png', bytes }
      : undefined
  } catch {
    return undefined
  }
}
