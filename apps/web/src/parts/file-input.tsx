import type { ReactNode } from 'react'

/** Words that are pressed to choose a file, in the look of their place. */
export function FileInput(props: {
  readonly className: string
  /** Media types and endings, as an input has them; undefined: any file. */
  readonly accept?: string
  /** Where the words alone do not say what is chosen. */
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
          // The same file can be chosen again once it is repaired.
          target.value = ''
          if (file !== undefined) read(file)
        }}
      />
    </label>
  )
}

/** The files that flows are exported to. */
export const FLOW_FILES = 'application/json,.json'
