/**
 * Focuses the control that holds what cannot be read: JSON that does not parse, or half a date, which the browser calls an
 * empty value. Reads the page, not a state of React, because a state that an effect sets is one render late: a quick press
 * would send the input of before. `checkValidity` makes the control say it.
 *
 * @returns whether there is any
 */
export function focusUnreadable(form: HTMLFormElement | null): boolean {
  const controls = [...(form?.querySelectorAll<HTMLElement>('input, [data-unreadable]') ?? [])]
  const field = controls.find(
    control =>
      control.dataset['unreadable'] !== undefined ||
      (control instanceof HTMLInputElement && control.validity.badInput),
  )
  if (field instanceof HTMLInputElement) field.checkValidity()
  field?.focus()
  return field !== undefined
}
