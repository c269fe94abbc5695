import type { Interaction } from '../../shared/api.ts'
import type { Key } from '../../shared/i18n.ts'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'

interface Words {
  readonly icon: IconName
  readonly title: Extract<Key, `scope.${string}`>
  readonly detail: Extract<Key, `scope.${string}.detail`>
}

/** The descriptions of known scopes. An unknown scope is shown by its name. */
const known: Readonly<Record<string, Words>> = {
  openid: { icon: 'badge', title: 'scope.openid', detail: 'scope.openid.detail' },
  profile: { icon: 'person', title: 'scope.profile', detail: 'scope.profile.detail' },
  email: { icon: 'mail', title: 'scope.email', detail: 'scope.email.detail' },
  offline_access: { icon: 'refresh', title: 'scope.offline_access', detail: 'scope.offline_access.detail' },
  address: { icon: 'pin', title: 'scope.address', detail: 'scope.address.detail' },
  phone: { icon: 'phone', title: 'scope.phone', detail: 'scope.phone.detail' },
  organizations: { icon: 'building', title: 'scope.organizations', detail: 'scope.organizations.detail' },
  groups: { icon: 'building', title: 'scope.groups', detail: 'scope.groups.detail' },
  billing: { icon: 'card', title: 'scope.billing', detail: 'scope.billing.detail' },
  administration: { icon: 'terminal', title: 'scope.administration', detail: 'scope.administration.detail' },
}

export const wordsOf = (scope: string): Words | undefined => (Object.hasOwn(known, scope) ? known[scope] : undefined)

interface ScopeProps {
  readonly scope: string
  /** `new`: the earlier consent does not contain the scope. `old`: the earlier consent contains it. `first`: there is no earlier consent. */
  readonly state: 'new' | 'old' | 'first'
  /** True for a scope about the organization if the application acts for none. Such a scope gives the application nothing. */
  readonly isEmpty: boolean
}

const Scope = ({ scope, state, isEmpty }: ScopeProps) => {
  const { t } = useI18n()
  const words = wordsOf(scope)
  const detail = isEmpty ? 'scope.organizations.none' : state === 'old' ? 'consent.already' : words?.detail
  return (
    <li className={`scope scope-${isEmpty ? 'old' : state}`}>
      <span className="scope-icon">
        <Icon name={words?.icon ?? 'key'} />
      </span>
      <span className="scope-text">
        <span className="scope-title">
          {words === undefined ? <code>{scope}</code> : t(words.title)}
          {state === 'new' ? <Badge tone="new">{t('consent.new')}</Badge> : null}
        </span>
        <span className="scope-detail">{t(detail ?? 'scope.other.detail')}</span>
      </span>
      {state === 'old' && !isEmpty ? <Icon name="check" size={18} /> : null}
    </li>
  )
}

interface Scopes {
  readonly scopes: readonly string[]
  readonly newScopes: readonly string[]
}

interface ScopeListProps extends Scopes {
  /** True if the application acts for no organization. */
  readonly isForNone: boolean
  /** True if the application requests scopes that the earlier consent does not contain. */
  readonly isMore: boolean
}

/** True if the application requests scopes that the earlier consent does not contain. Scopes of this server and scopes of APIs count. */
export const asksForMore = ({ scopes, newScopes, apis }: Pick<Interaction, 'scopes' | 'newScopes' | 'apis'>): boolean => {
  const ofApis = apis.flatMap((api) => api.scopes)
  const fresh = newScopes.length + ofApis.filter(({ isNew }) => isNew).length
  return fresh > 0 && fresh < scopes.length + ofApis.length
}

/** The requested scopes. If there is an earlier consent, the scopes that it does not contain come first and are marked. */
export const ScopeList = ({ scopes, newScopes, isForNone, isMore: more }: ScopeListProps) => {
  const isNew = (scope: string) => newScopes.includes(scope)
  const ordered = more ? [...scopes.filter(isNew), ...scopes.filter((scope) => !isNew(scope))] : scopes
  return (
    <ul className="scopes">
      {ordered.map((scope) => (
        <Scope
          key={scope}
          scope={scope}
          state={more ? (isNew(scope) ? 'new' : 'old') : 'first'}
          isEmpty={isForNone && (scope === 'organizations' || scope === 'groups')}
        />
      ))}
    </ul>
  )
}
