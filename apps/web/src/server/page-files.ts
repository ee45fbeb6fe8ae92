import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** One file for browsers, uncompressed and compressed. */
export interface PageFile {
  readonly path: string
  readonly type: string
  readonly raw: Buffer
  readonly gzip: Buffer
  readonly brotli: Buffer
  /** Whether its name changes with its content, so that it can be cached forever. */
  readonly isImmutable: boolean
}

/** The files that were built for browsers. */
export interface PageFiles {
  readonly files: ReadonlyMap<string, PageFile>
  /** The files that the document of a kind of page links to. */
  linksFor(routePath: string): {
    readonly styles: readonly string[]
    readonly scripts: readonly string[]
    readonly preloads: readonly string[]
  }
}

const TYPES: { readonly [ending: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}

interface Chunk {
  readonly file: string
  readonly src?: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

/**
 * Reads the build.
 *
 * @param folder `dist/client`
 * @param keep which chunks are served, by the source file of the chunk
 * @param sourceOf the source file of a kind of page, as named in the build's manifest
 * @param stylesOf the source file through which a kind of page has additional styles; empty when it has none
 * @throws when there is no build
 */
export function readPageFiles(
  folder: string,
  keep: (source: string) => boolean,
  sourceOf: (routePath: string) => string,
  stylesOf: (routePath: string) => string,
): PageFiles {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as {
    readonly [source: string]: Chunk
  }
  const dropped = new Set(
    Object.entries(manifest).flatMap(([source, { file }]) => (keep(source) ? [] : [`/${file}`])),
  )
  const files = new Map<string, PageFile>()
  for (const file of walk(folder)) {
    const path = `/${relative(folder, file).split(sep).join('/')}`
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)]
    if (type !== undefined && !dropped.has(path)) files.set(path, readPageFile(file, path, type))
  }
  const main = manifest['src/browser/main.tsx']
  if (main === undefined) throw new Error(`${folder} holds no build of the pages`)
  return {
    files,
    linksFor(routePath) {
      const page = manifest[sourceOf(routePath)]
      const wanted = [...closure(manifest, main), ...(page === undefined ? [] : closure(manifest, page))]
      const own = manifest[stylesOf(routePath)]
      const styles = [...wanted, ...(own === undefined ? [] : [own])].flatMap(({ file, css = [] }) =>
        [...css, ...(file.endsWith('.css') ? [file] : [])].map(path => `/${path}`),
      )
      const preloads = [...new Set(wanted.map(({ file }) => `/${file}`))].filter(
        file => file !== `/${main.file}`,
      )
      return { styles: [...new Set(styles)], scripts: [`/${main.file}`], preloads }
    },
  }
}

/** A chunk and all chunks that it imports statically. */
function closure(manifest: { readonly [source: string]: Chunk }, chunk: Chunk): readonly Chunk[] {
  const inner = (chunk.imports ?? []).flatMap(source => {
    const imported = manifest[source]
    return imported === undefined ? [] : closure(manifest, imported)
  })
  return [chunk, ...inner]
}

function readPageFile(file: string, path: string, type: string): PageFile {
  return {
    path,
    type,
    raw: readFileSync(file),
    // Compressed at build time, because compressing all files takes seconds.
    gzip: readFileSync(`${file}.gz`),
    brotli: readFileSync(`${file}.br`),
    isImmutable: path.startsWith('/assets/'),
  }
}

function walk(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
