import { bind, documented } from '../../http/handlers.ts'
import { proofOfWorkContract, proofOfWorkDocumentation } from './contract.ts'
import { challengeSeconds } from './rules.ts'
import type { ProofOfWork } from './service.ts'

export const proofOfWorkRoutes = ({ challenge }: Pick<ProofOfWork, 'challenge'>) =>
  bind(documented(proofOfWorkContract, proofOfWorkDocumentation), {
    proofOfWork: (_, { query }) => {
      const made = challenge(query.for)
      return {
        required: made !== undefined,
        challenge: made?.challenge ?? null,
        algorithm: 'SHA-256' as const,
        difficulty: made?.difficulty ?? 0,
        expiresInSeconds: challengeSeconds,
      }
    },
  })
