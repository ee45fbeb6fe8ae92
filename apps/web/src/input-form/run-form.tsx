import type { ReactNode, RefObject } from 'react'

/** A form that runs a job: input at the left, outcome at the right. Ctrl+Enter submits it like its button. */
export function RunForm(props: {
  readonly form: RefObject<HTMLFormElement | null>
  /** Whether a job was run; on a phone its outcome is then shown first. */
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
      // Until the scripts have loaded, submitting does nothing; a page load would lose the typed text.
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

/** Focuses the first refused field of a form, if any. */
export function focusRefused(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
