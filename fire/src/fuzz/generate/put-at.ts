/** An object of JSON that is being changed. */
export interface OpenObject {
  [key: string]: unknown
}

export function isObject(value: unknown): value is OpenObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Puts a value at a path of names, or removes the value there if it is undefined; does nothing if a parent is missing.
 */
export function putAt(root: OpenObject, path: string, value: unknown): void {
  const names = path.split('/')
  const last = names.pop() ?? ''
  const holder = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root)
  if (!isObject(holder)) return
  if (value === undefined) delete holder[last]
  // The inserted value may be changed later.
  else holder[last] = structuredClone(value)
}
