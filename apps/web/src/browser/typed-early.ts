type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Takes what was typed into the page before its scripts were here, and resolves to what types it once more: a page that
 * is taken over begins with empty controls, and would forget it at the first change.
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
      // The page's library watches the property of the control itself; a person's typing does not go through it.
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
      const type = control instanceof HTMLSelectElement ? 'change' : 'input'
      control.dispatchEvent(new Event(type, { bubbles: true }))
    }
  }
}

/** As the server made it. Undefined: a control that no text is typed into. */
function firstValue(control: Control): string | undefined {
  if (control instanceof HTMLSelectElement)
    return (Array.from(control.options).find(option => option.defaultSelected) ?? control.options[0])?.value
  if (control instanceof HTMLInputElement && ['checkbox', 'radio', 'hidden'].includes(control.type))
    return undefined
  return control.defaultValue
}
