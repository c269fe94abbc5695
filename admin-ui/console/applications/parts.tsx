import type { WireApi } from '../../../src/http/contract.ts'
import type { applicationContract } from '../../../src/oidc/clients/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { SelectField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'

/** An application, together with the name of the person who registered it. */
export type ListedApplication = Answer<WireApi<typeof applicationContract>['getApplication']>
export type Application = Omit<ListedApplication, 'registrant'>
export type Secret = Answer<WireApi<typeof applicationContract>['listSecrets']>['secrets'][number]

/** True for the types of applications that have a client secret. */
export const keepsSecret = (type: Application['type']): boolean => type === 'web' || type === 'machine'

interface PkceFieldProps {
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A choice of whether an application with a client secret has to use PKCE. */
export const PkceField = ({ value, onValue }: PkceFieldProps) => {
  const { t } = useI18n()
  const options = (['default', 'required', 'optional'] as const).map((mode) => ({ value: mode, text: t(`clients.pkce.${mode}`) }))
  return (
    <SelectField
      name="pkce"
      label={t('clients.pkce')}
      hint={t('clients.pkceHint')}
      defaultValue={value}
      options={options}
      onValue={onValue}
    />
  )
}

/** A badge for whether the application is active or disabled. Only unusual states have a warning colour. */
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

/** A list of scopes or other short values, each shown as code. */
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
