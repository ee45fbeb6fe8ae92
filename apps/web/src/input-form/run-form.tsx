import type { ReactNode, RefObject } from 'react'

/** A form that runs a job: its input left, its outcome right. Ctrl and Enter submit it, as its button does. */
export function RunForm(props: {
  readonly form: RefObject<HTMLFormElement | null>
  /** Whether a job was run: on a phone its outcome comes first. */
  readonly isAfter: boolean
  readonly submit: () => void
  readonly input: ReactNode
  readonly outcome: ReactNode
}): ReactNode {
  const { form, isAfter, submit, input, outcome } = props
  return (
    <form
      ref={form}
      className={isAfter ? 'try after' : 'try'}
      noValidate
      // Submitted before the scripts are here, the form does nothing: a reload would lose what was typed.
      method="dialog"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={event => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        submit()
      }}
    >
      <div>{input}</div>
      <div>{outcome}</div>
    </form>
  )
}

/** Focuses the first field of a form that is refused, if any. */
export function focusRefused(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
