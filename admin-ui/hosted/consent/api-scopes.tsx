import type { Interaction } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'

type Api = Interaction['apis'][number]

interface ApiScopesProps {
  readonly apis: readonly Api[]
  /** True if the application requests scopes that the earlier consent does not contain. */
  readonly isMore: boolean
}

const ApiScope = ({ scope, isMore }: { readonly scope: Api['scopes'][number]; readonly isMore: boolean }) => {
  const { t } = useI18n()
  const isOld = isMore && !scope.isNew
  return (
    <li className={`scope scope-${isMore ? (scope.isNew ? 'new' : 'old') : 'first'}`}>
      <span className="scope-icon">
        <Icon name="apps" />
      </span>
      <span className="scope-text">
        <span className="scope-title">
          <span className="break">{scope.description}</span>
          {isMore && scope.isNew ? <Badge tone="new">{t('consent.new')}</Badge> : null}
        </span>
        <span className="scope-detail">{isOld ? t('consent.already') : <code>{scope.name}</code>}</span>
      </span>
      {isOld ? <Icon name="check" size={18} /> : null}
    </li>
  )
}

/** The requested scopes of each API, with the descriptions from the API. */
export const ApiScopes = ({ apis, isMore }: ApiScopesProps) =>
  apis
    .filter(({ scopes }) => scopes.length > 0)
    .map(({ identifier, name, scopes }) => (
      <section key={identifier}>
        <h2 className="scopes-title break">
          <Text id="consent.atApi" values={{ api: name }} />
        </h2>
        <ul className="scopes">
          {scopes.map((scope) => (
            <ApiScope key={scope.name} scope={scope} isMore={isMore} />
          ))}
        </ul>
      </section>
    ))
