import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { wordsOf } from './scopes.tsx'

/** Scopes of providers, with the standard scope of the same meaning. */
const synonyms: Readonly<Record<string, string>> = {
  'read:user': 'profile',
  'user:email': 'email',
  'User.Read': 'profile',
  'https://www.googleapis.com/auth/userinfo.profile': 'profile',
  'https://www.googleapis.com/auth/userinfo.email': 'email',
  public_profile: 'profile',
  name: 'profile',
}

const commonName = (scope: string) => (Object.hasOwn(synonyms, scope) ? synonyms[scope] : undefined) ?? scope

interface GrantedScopesProps {
  readonly scopes: readonly string[]
  /** Name of the list. */
  readonly label: string
  /** True to show the name above the list. */
  readonly caption?: boolean
}

/** The scopes that an application has here, or that this server has at a provider. They are described in the words of the consent page. */
export const GrantedScopes = ({ scopes, label, caption = false }: GrantedScopesProps) => {
  const { t } = useI18n()
  if (scopes.length === 0) return null
  return (
    <ul className="granted" aria-label={label}>
      {caption ? (
        <li className="granted-caption" aria-hidden="true">
          {label}:
        </li>
      ) : null}
      {[...new Set(scopes.map(commonName))].map((scope) => {
        const words = wordsOf(scope)
        return (
          <li key={scope}>
            <Icon name={words?.icon ?? 'key'} size={16} />
            {words === undefined ? <code>{scope}</code> : t(words.title)}
          </li>
        )
      })}
    </ul>
  )
}
