import type { Acr } from '../../../src/core/authentication-classes.ts'
import type { Key } from '../../shared/i18n.ts'
import { useI18n } from '../../shared/text.tsx'
import { explainedClaims, explainedWays } from './explained-claims.ts'

const classes: Readonly<Record<Acr | 'urn:gatehouse:acr:impersonated', Key>> = {
  'urn:gatehouse:acr:1fa': 'clients.acr.1fa',
  'urn:gatehouse:acr:2fa': 'clients.acr.2fa',
  'urn:gatehouse:acr:phishing-resistant': 'clients.acr.phishing-resistant',
  'urn:gatehouse:acr:impersonated': 'clients.acr.impersonated',
}

const isOf = <T extends object>(table: T, name: string): name is Extract<keyof T, string> => Object.hasOwn(table, name)

/**
 * Returns functions that explain claims, values of `amr` and values of `acr` in a sentence. They return undefined for unknown names and
 * values.
 */
export const useClaimWords = () => {
  const { t } = useI18n()
  return {
    claim: (name: string): string | undefined => {
      const known = explainedClaims.find((one) => one === name)
      return known === undefined ? undefined : t(`clients.means.${known}`)
    },
    amr: (value: string): string | undefined => {
      const known = explainedWays.find((one) => one === value)
      return known === undefined ? undefined : t(`clients.amr.${known}`)
    },
    acr: (value: string): string | undefined => (isOf(classes, value) ? t(classes[value] as 'clients.acr.1fa') : undefined),
  }
}
