import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { WireApi } from '../../../src/http/contract.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract.ts'
import type { applicationContract } from '../../../src/oidc/clients/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import { Id, shortened } from '../shared/id.tsx'

export type Application = Answer<WireApi<typeof applicationContract>['getApplication']>
export type Secret = Answer<WireApi<typeof applicationContract>['listSecrets']>['secrets'][number]

/** True for applications that keep a secret. */
export const keepsSecret = (type: Application['type']): boolean => type === 'web' || type === 'machine'

/** Colour only where something is out of the ordinary. */
export const StateBadge = ({ application }: { readonly application: Pick<Application, 'disabled'> }) => {
  const { t } = useI18n()
  return application.disabled ? (
    <Badge tone="bad" icon="ban">
      {t('clients.disabled')}
    </Badge>
  ) : (
    <Badge tone="good">{t('clients.active')}</Badge>
  )
}

/** A person by name, who leads to their screen; by id for whoever may not read people. */
export const PersonName = ({ id }: { readonly id: string }) => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('users:read')
  const { data } = useQuery({
    ...api.query(userAdministrationContract, 'adminGetUser', { params: { id } }),
    enabled: isAllowed,
  })
  return isAllowed ? <Link to={`/admin/users/${encodeURIComponent(id)}`}>{data?.name ?? shortened(id)}</Link> : <Id id={id} />
}

/** Scopes and the like, each as it is written. */
export const Words = ({ words }: { readonly words: readonly string[] }) => {
  const { t } = useI18n()
  if (words.length === 0) return t('console.none')
  return (
    <ul className="words">
      {words.map((word) => (
        <li key={word}>
          <code>{word}</code>
        </li>
      ))}
    </ul>
  )
}
