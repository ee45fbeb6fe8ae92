/**
 * Focuses the control whose value cannot be read: JSON that does not parse, or half a date, which the browser reports as an
 * empty value. Reads the page instead of React's state, because a state set by an effect is one render late, and a quick
 * press would send the previous input. `checkValidity` makes the control show the problem.
 *
 * @returns whether there is such a control
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
