/**
 * Focuses the JSON of a form that cannot be parsed. Reads the page, not a state of React, because a state that an effect sets is
 * one render late: a quick press would send the input of before.
 *
 * @returns whether there is any
 */
export function focusUnreadable(form: HTMLFormElement | null): boolean {
  const field = form?.querySelector<HTMLElement>('[data-unreadable]')
  field?.focus()
  return field instanceof HTMLElement
}
