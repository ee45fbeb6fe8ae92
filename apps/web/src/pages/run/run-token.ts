import { createContext } from 'react'

/** What opens the run that is shown, and its jobs with it; undefined: its payer is signed in. */
export const RunToken = createContext<string | undefined>(undefined)
