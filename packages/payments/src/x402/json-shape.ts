/** Is the value a string of this form? */
export function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
