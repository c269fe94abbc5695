import { createContext, use } from 'react'
import type { SessionAnswer, Settings } from '../../shared/api.ts'

/** Who the account area belongs to, and how to learn of changes. */
export interface Person extends SessionAnswer {
  readonly settings: Settings
  /** Asks the server again who is signed in. */
  readonly refresh: () => Promise<void>
}

export const PersonContext = createContext<Person | undefined>(undefined)

export const usePerson = (): Person => {
  const person = use(PersonContext)
  if (person === undefined) throw new Error('an account section outside of PersonContext')
  return person
}
