import type { ReactNode } from 'react'

/** A file input shown as text, in the style of its surroundings. */
export function FileInput(props: {
  readonly className: string
  /** Media types and extensions, as in the `accept` attribute; undefined for any file. */
  readonly accept?: string
  /** The accessible name, if the text alone does not say what is chosen. */
  readonly label?: string
  readonly read: (file: File) => void
  readonly children: ReactNode
}): ReactNode {
  const { className, accept, label, read, children } = props
  return (
    <label className={className}>
      {children}
      <input
        type="file"
        className="unseen"
        accept={accept}
        aria-label={label}
        onChange={({ target }) => {
          const file = target.files?.[0]
          // Clearing the value lets the reader choose the same file again after editing it.
          target.value = ''
          if (file !== undefined) read(file)
        }}
      />
    </label>
  )
}

/** The types of files to which flows are exported. */
export const FLOW_FILES = 'application/json,.json'
