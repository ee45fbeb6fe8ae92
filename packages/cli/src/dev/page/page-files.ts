import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string
  readonly bytes: Buffer
  /** Its name changes with its content. */
  readonly isImmutable: boolean
}

const TYPES: { readonly [ending: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Where the build puts it: `dist/client`, seen from the sources and from what is compiled alike. */
const FOLDER = fileURLToPath(new URL('../../../dist/client/', import.meta.url))

/**
 * Reads what was built for browsers, by URL path. Nothing else can be asked for: no path of a request is ever a path of
 * the disk. Rejects where nothing was built.
 */
export async function readPageFiles(folder = FOLDER): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[entry.name.slice(entry.name.lastIndexOf('.') + 1)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    files.set(path === '/index.html' ? '/' : path, {
      type,
      bytes: await readFile(file),
      isImmutable: path.startsWith('/assets/'),
    })
  }
  if (!files.has('/')) throw new Error(`${folder} holds no page`)
  return files
}
