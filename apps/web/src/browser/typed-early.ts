type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Records the text typed into the page before its scripts were loaded, and returns a function that enters the text again.
 * Taking over a page starts with empty controls, and the typed text would be lost at the first change.
 */
export function takeTyped(root: HTMLElement): () => void {
  const typed: (readonly [control: Control, value: string])[] = []
  for (const control of root.querySelectorAll<Control>('input, textarea, select')) {
    const { value } = control
    const first = firstValue(control)
    if (first === undefined || value === first) continue
    typed.push([control, value])
    control.value = first
  }
  return () => {
    for (const [control, value] of typed.splice(0)) {
      // React watches the `value` property of the control itself; this setter bypasses it, as typing does.
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
      const type = control instanceof HTMLSelectElement ? 'change' : 'input'
      control.dispatchEvent(new Event(type, { bubbles: true }))
    }
  }
}

/** The value that the server rendered; undefined for a control that takes no text. */
function firstValue(control: Control): string | undefined {
  if (control instanceof HTMLSelectElement)
    return (Array.from(control.options).find(option => option.defaultSelected) ?? control.options[0])?.value
  if (control instanceof HTMLInputElement && ['checkbox', 'radio', 'hidden'].includes(control.type))
    return undefined
  return control.defaultValue
}
