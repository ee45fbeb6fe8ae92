import { CommandError, type ExitCode } from '../../command-error.ts'
import type { FailureDocument } from './call-document.ts'

/** A call that brought no output: what a person reads, what `--json` says, and the exit code. */
export class CallFailure extends CommandError {
  readonly document: FailureDocument

  constructor(
    failure: Omit<FailureDocument, 'ok' | 'error'> & {
      /** `validation`, `unresolved` … */
      readonly type: string
      readonly message: string
      readonly next: string
    },
    options: ErrorOptions & { readonly exitCode?: ExitCode } = {},
  ) {
    const { type, message, next, ...facts } = failure
    super(message, next, options)
    this.document = { ok: false, error: { type, message, ...(next === '' ? {} : { next }) }, ...facts }
  }
}
