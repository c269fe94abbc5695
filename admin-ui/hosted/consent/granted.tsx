import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { wordsOf } from './scopes.tsx'

/** Scopes of identity providers, each with the standard scope that means the same. */
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
  /** The name of the list for screen readers. */
  readonly label: string
  /** True if the name is also visible above the list. */
  readonly caption?: boolean
}

/**
 * A list of scopes that were granted: to an application here, or to this server at an identity provider. The descriptions are those of
 * the consent page.
 */
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
