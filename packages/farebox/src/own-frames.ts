import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A stack line in the author's own files. */
export interface Frame {
  /** `handlers.ts:12:9`, relative to the folder in which the command was called. */
  readonly place: string
  /** The function, if the stack names it. */
  readonly caller: string | undefined
}

/**
 * Files below this folder belong to the runtime, in the sources and in the build. In a bundle this cannot be
 * determined, and nothing matches.
 */
const RUNTIME_FOLDER = `${import.meta.dirname}${sep}`
const DEPENDENCIES = `${sep}node_modules${sep}`
const LOCATION = /^(.*):(\d+):(\d+)$/

/**
 * The stack lines that the author can act on: without those of Node, of dependencies and of the runtime.
 *
 * @param stack an error's `stack`
 * @param folder the folder that the places are relative to
 */
export function ownFrames(stack: string, folder: string = process.cwd()): readonly Frame[] {
  return stack.split('\n').flatMap(line => {
    const [, told] = /^\s+at (?:async )?(.*)$/.exec(line) ?? []
    if (told === undefined) return []
    const [, caller, inner] = /^(.*) \((.*)\)$/.exec(told) ?? []
    const [, file = '', row, column] = LOCATION.exec(inner ?? told) ?? []
    const path = ownPath(file)
    if (path === undefined) return []
    return [{ place: `${relativePlace(path, folder)}:${row}:${column}`, caller: namedCaller(caller) }]
  })
}

/** A path or `file:` URL, relative to the folder; absolute when it is elsewhere. */
export function relativePlace(file: string, folder: string = process.cwd()): string {
  const path = toPath(file)
  const short = relative(folder, path)
  return short.startsWith(`..${sep}..`) || isAbsolute(short) ? path : short
}

function ownPath(file: string): string | undefined {
  if (file === '' || /^(?:node|data):/.test(file)) return undefined
  const path = toPath(file)
  const isOwn = isAbsolute(path) && !path.includes(DEPENDENCIES) && !path.startsWith(RUNTIME_FOLDER)
  return isOwn ? path : undefined
}

/** Removes the query that loaders add to their modules. */
function toPath(file: string): string {
  const [bare = ''] = file.split('?', 1)
  return bare.startsWith('file://') ? fileURLToPath(bare) : bare
}

/**
 * `Object.echo` is the function `echo` of a map; names such as `Module.default` and `Object.<anonymous>` are dropped as
 * uninformative.
 */
function namedCaller(caller: string | undefined): string | undefined {
  const name = caller?.replace(/^(?:new )?(?:Object|Module)\./, '')
  return name === undefined || name === 'default' || name.includes('<anonymous>') ? undefined : name
}
