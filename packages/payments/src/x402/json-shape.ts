/** Whether a value is a JSON object: no list, not null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a string of this form. */
export function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
