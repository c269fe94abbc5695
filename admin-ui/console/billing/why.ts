import { useI18n } from '../../shared/text.tsx'
import type { Customer } from './parts.tsx'

/** Returns a function that explains in a sentence why a customer has its owner, or why it has none. */
export const useReason = () => {
  const { t } = useI18n()
  return ({ link, externalId }: Pick<Customer, 'link' | 'externalId'>): string => {
    if (link === null) return t('billing.why.nobody')
    if (link.linkedBy === 'external_id') return t('billing.why.external_id', { externalId: externalId ?? '' })
    return t(`billing.why.${link.linkedBy}`)
  }
}
