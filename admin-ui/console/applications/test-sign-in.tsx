import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { useParams } from 'react-router'
import type { WireApi } from '../../../src/http/contract.ts'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { testSignInContract } from '../../../src/oidc/test-sign-ins/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, LinkButton, Notice } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure, useProblem } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useClaimWords } from './claim-words.ts'
import { ClaimEntries } from './panels/claims.tsx'
import { applicationPath, testSignInPath } from './paths.ts'

type Tested = Answer<WireApi<typeof testSignInContract>['finishTestSignIn']>

/** Starts a test sign-in to an application. The application's policy, consent and PKCE apply, but the redirect URI is a page of the console. */
export const TestSignInScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { clientId = '' } = useParams()
  const params = { clientId }
  const { data, error, refetch } = useQuery(api.query(applicationContract, 'getApplication', { params }))
  const start = useChange(testSignInContract, 'startTestSignIn')
  const problemOf = useProblem()
  const [problem, setProblem] = useState<string>()
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  const begin = async () => {
    setProblem(undefined)
    try {
      location.assign((await start({ params })).url)
    } catch (failed) {
      setProblem(problemOf(failed))
    }
  }
  return (
    <Page
      title={t('clients.testOf', { name: data.name })}
      lead={t('clients.testLead')}
      back={{ to: applicationPath(clientId), text: data.name }}
    >
      <Panel title={t('clients.testHow')}>
        <ul className="panel-note">
          <li>{t('clients.testAsYou')}</li>
          <li>{t('clients.testConsent')}</li>
          <li>{t('clients.testNoToken')}</li>
        </ul>
        {problem === undefined ? null : (
          <p className="panel-note field-error" role="alert">
            {problem}
          </p>
        )}
        <div className="panel-fields">
          <div>
            <ActionButton permission="clients:update" onClick={() => void begin()}>
              {t('clients.testStart')}
            </ActionButton>
          </div>
        </div>
        <div className="panel-foot">
          <ShowCall target={testSignInContract.startTestSignIn} input={{ params }} />
        </div>
      </Panel>
    </Page>
  )
}

interface ExplainedProps {
  readonly claim: string
  /** Values of the claim, each with an explanation if there is one. */
  readonly values: readonly (readonly [value: string, meaning: string | undefined])[]
  readonly children?: ReactNode
}

/** Shows a claim with its values and their explanations. */
const Explained = ({ claim, values, children }: ExplainedProps) => {
  const words = useClaimWords()
  return (
    <>
      {children ?? (values.length === 0 ? '–' : null)}
      {values.map(([value, meaning]) => (
        <p key={value}>
          <code>{value}</code>
          {meaning === undefined ? null : ` – ${meaning}`}
        </p>
      ))}
      <p className="entry-detail">{words.claim(claim)}</p>
    </>
  )
}

const Outcome = ({ tested }: { readonly tested: Tested }) => {
  const { t } = useI18n()
  const words = useClaimWords()
  const { user, organization, scopes, requested, amr, acr, authenticatedAt, claims } = tested
  const missing = requested.filter((scope) => !scopes.includes(scope))
  return (
    <>
      <Notice tone="good">{t('clients.testDone')}</Notice>
      <Panel title={t('clients.testSignedIn')}>
        <Facts
          rows={[
            [t('clients.testPerson'), `${user.name} (${user.email})`],
            [t('clients.testOrganization'), organization?.name ?? t('clients.testNoOrganization')],
            [
              t('clients.testScopes'),
              scopes.map((scope) => (
                <Badge key={scope} tone="plain">
                  {scope}
                </Badge>
              )),
            ],
            [t('clients.testMissing'), missing.length === 0 ? undefined : <code key="missing">{missing.join(' ')}</code>],
            [t('clients.testAmr'), <Explained key="amr" claim="amr" values={amr.map((value) => [value, words.amr(value)])} />],
            [t('clients.testAcr'), <Explained key="acr" claim="acr" values={acr === null ? [] : [[acr, words.acr(acr)]]} />],
            [
              t('clients.testWhen'),
              authenticatedAt === null ? undefined : (
                <Explained key="when" claim="auth_time" values={[]}>
                  <Time at={authenticatedAt} exact />
                </Explained>
              ),
            ],
          ]}
        />
      </Panel>
      <Panel title={t('clients.testClaims')}>
        <ClaimEntries claims={claims} />
      </Panel>
    </>
  )
}

/** Shows the result of a test sign-in: the data that the application would get, or why the sign-in failed. */
export const TestedSignInScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [came] = useState(() => new URLSearchParams(location.search))
  const [tested, setTested] = useState<Tested>()
  const [failure, setFailure] = useState<unknown>()
  const isAsked = useRef(false)
  const [code, id, refused] = ['code', 'state', 'error'].map((name) => came.get(name))
  useEffect(() => {
    if (isAsked.current || !code || !id) return
    isAsked.current = true
    // The authorization code can be used only once, so it is removed from the address.
    history.replaceState(history.state, '', location.pathname)
    api.call(testSignInContract, 'finishTestSignIn', { params: { id }, body: { code } }).then(setTested, setFailure)
  }, [api, code, id])
  const problemOf = useProblem()
  const again = tested === undefined ? '/admin/clients' : testSignInPath(tested.clientId)
  return (
    <Page
      title={t('clients.test')}
      lead={t('clients.testLead')}
      actions={
        <LinkButton kind="secondary" href={again}>
          {t(tested === undefined ? 'clients.title' : 'clients.testAgain')}
        </LinkButton>
      }
    >
      {refused ? (
        <>
          <Notice tone="bad">{t(refused === 'access_denied' ? 'clients.testDenied' : 'clients.testRefused')}</Notice>
          <Panel title={t('clients.testAnswer')}>
            <Facts
              rows={[
                ['error', <code key="error">{refused}</code>],
                ['error_description', came.get('error_description') ?? undefined],
              ]}
            />
          </Panel>
        </>
      ) : failure !== undefined ? (
        <Notice tone="bad">{problemOf(failure)}</Notice>
      ) : tested !== undefined ? (
        <Outcome tested={tested} />
      ) : code && id ? (
        <PageSkeleton />
      ) : (
        <Notice tone="wait">{t('clients.testOver')}</Notice>
      )}
    </Page>
  )
}
