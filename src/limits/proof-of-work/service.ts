import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import type { ProofPurpose } from '../../core/web.ts'
import { limitErrors } from '../errors.ts'
import { challengeSeconds, encodeChallenge, hasZeroBits, parseSolution, type Solution } from './rules.ts'
import * as store from './store.ts'

const headerName = 'Gatehouse-Proof-Of-Work'

/**
 * If it is configured, callers have to give a proof of work for calls that cost the server a password hash or a mail
 * (docs/design/requests.md#proof-of-work).
 */
export interface ProofOfWork {
  /** Makes a challenge for a purpose. Undefined if no proof of work is needed. Nothing is stored. */
  challenge(purpose: ProofPurpose): { readonly challenge: string; readonly difficulty: number } | undefined
  /**
   * Reads the header of a call for a purpose. If no proof of work is needed, returns undefined. Otherwise it returns a function that
   * checks the proof and marks it as used. The caller calls this function after it has counted the request for the rate limit. Throws
   * PROOF_OF_WORK_REQUIRED if the header is missing. The returned function throws PROOF_OF_WORK_INVALID.
   */
  demand(purpose: ProofPurpose, header: string | undefined): (() => Promise<void>) | undefined
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets'> {
  readonly config: { readonly for: readonly ProofPurpose[]; readonly difficulty: number }
}

const base64Of = (base64url: string) => Buffer.from(base64url, 'base64url').toString('base64')
const hint = (purpose: ProofPurpose) => `a solution of a challenge of GET /proof-of-work?for=${purpose}`

const refuse = (code: 'PROOF_OF_WORK_REQUIRED' | 'PROOF_OF_WORK_INVALID', message: string) =>
  limitErrors.error(code, { issues: [{ path: headerName, message }] })

export const createProofOfWork = ({ config, db, transact, clock, random, secrets }: Deps): ProofOfWork => {
  const isSigned = ({ signed, signature }: Solution) =>
    secrets.isSigned('proof-of-work', signed, base64Of(signature), challengeSeconds)

  /** What is wrong with a solution. Undefined if it is valid. Whether it was used before is not checked here. */
  const problemOf = (solution: Solution | undefined, header: string, purpose: ProofPurpose): string | undefined => {
    if (solution === undefined || !isSigned(solution)) return `expected is <challenge>.<text>, ${hint(purpose)}`
    const { challenge } = solution
    if (challenge.purpose !== purpose) return `it is for ${challenge.purpose}; expected is ${hint(purpose)}`
    if (challenge.expiresAt <= clock.now()) return `it has expired; expected is ${hint(purpose)}`
    if (!hasZeroBits(sha256(header), challenge.difficulty))
      return `its SHA-256 hash does not begin with ${challenge.difficulty} bits that are 0`
    return undefined
  }

  return {
    challenge: (purpose) => {
      if (!config.for.includes(purpose)) return undefined
      const { difficulty } = config
      const signed = encodeChallenge({ purpose, difficulty, expiresAt: clock.after(challengeSeconds), id: random.token(24) })
      const signature = Buffer.from(secrets.sign('proof-of-work', signed), 'base64').toString('base64url')
      return { challenge: `${signed}.${signature}`, difficulty }
    },
    demand: (purpose, header) => {
      if (!config.for.includes(purpose)) return undefined
      if (header === undefined) throw refuse('PROOF_OF_WORK_REQUIRED', `is missing: send ${hint(purpose)}`)
      return async () => {
        const solution = parseSolution(header)
        const problem = problemOf(solution, header, purpose)
        if (problem !== undefined || solution === undefined) throw refuse('PROOF_OF_WORK_INVALID', problem ?? '')
        const { id, expiresAt } = solution.challenge
        if (!(await transact((tx) => store.insertUse(tx, id, expiresAt))))
          throw refuse('PROOF_OF_WORK_INVALID', `it was used before; expected is ${hint(purpose)}`)
      }
    },
    // Used proofs are kept for a while after their challenge has expired, because the clocks of nodes differ.
    retention: retentionOfRows({ db, transact }, 'used proofs of work', 'whose challenge has expired', () =>
      store.usesBefore(clock.after(-challengeSeconds)),
    ),
  }
}
