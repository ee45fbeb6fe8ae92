import type { ReactNode } from 'react'

/** A form that finds a job by its full id, which is then part of the address. */
export function FindJob(props: {
  readonly action: string
  readonly name: string
  readonly value: string
}): ReactNode {
  const { action, name, value } = props
  return (
    <form className="find-job" method="get" action={action} role="search" aria-label="Find a job by its ID">
      <label htmlFor="find-job" className="small quiet">
        Find a job by its ID
      </label>
      <input
        id="find-job"
        className="input mono"
        name={name}
        defaultValue={value}
        required
        pattern="\s*[0-9A-Fa-f\-]{36}\s*"
        title="The full ID, 36 characters"
        placeholder="3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c"
        autoComplete="off"
        spellCheck={false}
      />
      <button type="submit" className="button">
        Find
      </button>
    </form>
  )
}
