import type { z } from 'zod'
import type { Core } from '../../core/core.ts'
import type { User } from '../../identity/users/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { SignInObstacle } from './contract.ts'
import { say } from './verdict-texts.ts'

interface Deps extends Pick<Core, 'db' | 'remedies'> {
  /** Undefined if organizations are disabled. */
  readonly memberships: Pick<Memberships, 'listOf'> | undefined
}

/** Lists the applications and organizations that require a second factor after the sign-in. A user without a second factor cannot open them. */
export const createFurtherFactors =
  ({ db, remedies, memberships }: Deps) =>
  async (
    { id, secondFactorSince }: User,
    client: { readonly clientId: string; readonly requireAcr: string | null } | undefined,
  ): Promise<readonly z.output<typeof SignInObstacle>[]> => {
    if (secondFactorSince !== null) return []
    const atClient =
      client === undefined || client.requireAcr === null
        ? []
        : [
            {
              ...say('application-asks', { clientId: client.clientId, acr: client.requireAcr }),
              rule: 'requireAcr of the application',
              remedy: remedies.getClient(client.clientId),
            },
          ]
    const strict = ((await memberships?.listOf(db, id)) ?? []).filter(({ requiresSecondFactor }) => requiresSecondFactor)
    const inOrganizations = strict.map(({ slug }) => ({
      ...say('organization-asks', { organization: slug }),
      rule: 'requiresSecondFactor of the organization',
      remedy: remedies.getOrg(slug),
    }))
    return [...atClient, ...inOrganizations]
  }
