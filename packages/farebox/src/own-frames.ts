import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A line of a stack that lies in the author's own files. */
export interface Frame {
  /** `handlers.ts:12:9`, relative to the folder where the command was called. */
  readonly place: string
  /** The function, where the stack names it. */
  readonly caller: string | undefined
}

/** Sources and build alike: whatever stands here is the runtime's. In a bundle nobody can tell, and nothing matches. */
const RUNTIME_FOLDER = `${import.meta.dirname}${sep}`
const DEPENDENCIES = `${sep}node_modules${sep}`
const LOCATION = /^(.*):(\d+):(\d+)$/

/**
 * The lines of a stack that its author can do something about: not Node's, not a dependency's, not the runtime's.
 *
 * @param stack an error's `stack`
 * @param folder what the places are relative to
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

/** A path or a `file:` URL as a path from the folder; where it lies elsewhere, whole. */
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

/** Loaders mark what they load with a query. */
function toPath(file: string): string {
  const [bare = ''] = file.split('?', 1)
  return bare.startsWith('file://') ? fileURLToPath(bare) : bare
}

/** `Object.echo` is the function `echo` of a map; `Module.default`, `Object.<anonymous>` and the like say nothing. */
function namedCaller(caller: string | undefined): string | undefined {
  const name = caller?.replace(/^(?:new )?(?:Object|Module)\./, '')
  return name === undefined || name === 'default' || name.includes('<anonymous>') ? undefined : name
}
