import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../../shared/icons.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Notice } from '../../../shared/ui.tsx'
import { CopyField } from '../../shared/copy-field.tsx'
import { Panel } from '../../shared/facts.tsx'
import { Page } from '../../shared/page.tsx'
import { RefusalsPanel } from '../panels/refusals.tsx'
import type { Application } from '../parts.tsx'
import { applicationPath, testSignInPath } from '../paths.ts'
import { FirstSignIn } from './first-sign-in.tsx'
import type { Framework, SnippetId } from './frameworks.ts'
import { snippetFor, snippetsOf } from './frameworks.ts'
import { envOf, snippetOf } from './snippets.ts'

interface ResultProps {
  readonly application: Application
  /** The client secret in plain text. The server stores only its hash, so this page is the only place that shows the secret. */
  readonly secret: string | null
  readonly framework: Framework
}

/** Shows the client id, the secret and the code examples once after the registration, and reports whether the application works. */
export const Result = ({ application, secret, framework }: ResultProps) => {
  const { t } = useI18n()
  const { clientId, type, name } = application
  const [snippet, setSnippet] = useState<SnippetId>(snippetFor(framework))
  const page = useRef<HTMLDivElement>(null)
  // The result replaces the form without a change of the address, so its heading takes the focus.
  useEffect(() => page.current?.querySelector('h1')?.focus(), [])
  const [redirectUri] = application.redirectUris
  const values = { issuer: location.origin, clientId, secret, redirectUri, scopes: application.scopes }
  return (
    <div ref={page}>
      <Page title={t('clients.created', { name })} lead={t('clients.createdLead')}>
        <Notice tone={secret === null ? 'good' : 'wait'}>{t(secret === null ? 'clients.noSecret' : 'clients.secretOnce')}</Notice>
        <div className="columns">
          <Panel title={t('clients.values')}>
            <div className="panel-fields">
              <CopyField label={t('clients.issuer')} value={values.issuer} />
              <CopyField label={t('clients.id')} value={clientId} />
              {secret === null ? null : <CopyField label={t('clients.secret')} value={secret} />}
              <CopyField label={t('clients.env')} value={envOf(values)} isBlock />
            </div>
          </Panel>
          <Panel
            title={t('clients.code')}
            actions={
              <label className="filter">
                <span className="filter-name">{t('clients.snippet')}</span>
                <select value={snippet} onChange={({ currentTarget }) => setSnippet(currentTarget.value as SnippetId)}>
                  {snippetsOf[type].map((id) => (
                    <option key={id} value={id}>
                      {t(`clients.snippet.${id}`)}
                    </option>
                  ))}
                </select>
                <Icon name="down" size={14} />
              </label>
            }
          >
            <div className="panel-fields">
              <CopyField label={t(`clients.snippet.${snippet}`)} value={snippetOf(snippet, values)} isBlock />
            </div>
          </Panel>
        </div>
        <FirstSignIn application={application} />
        <RefusalsPanel application={application} everyMs={3000} />
        <p className="result-foot">
          {type === 'machine' ? null : (
            <Link className="button button-primary" to={testSignInPath(clientId)}>
              {t('clients.test')}
            </Link>
          )}
          <Link className="button button-secondary" to={applicationPath(clientId)}>
            {t('clients.toApplication')}
          </Link>
        </p>
      </Page>
    </div>
  )
}
