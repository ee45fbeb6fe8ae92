/**
 * Focuses the control whose value cannot be read: JSON that does not parse, or half a date, which the browser reports as an
 * empty value. Reads the page and not React's state: a state that an effect sets is one render late, and a quick press would
 * send the input from before. `checkValidity` makes the control show the problem.
 *
 * @returns whether there is one
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
