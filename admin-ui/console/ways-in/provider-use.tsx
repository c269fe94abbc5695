import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { providerAdministrationContract } from '../../../src/authentication/methods/federated/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Id } from '../shared/id.tsx'
import { Time } from '../shared/time.tsx'

/** How many accounts at most are counted. If there are more, the text says "more than". */
export const mostCounted = 1_000

/** Shows how many accounts are linked with the identity provider, its last successful sign-in, and its last failed one with the reason. */
export const ProviderUsePanel = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const { api, screens } = useConsole()
  const { data, error, refetch } = useQuery(api.query(providerAdministrationContract, 'adminProviderUse', { params: { id } }))
  const failure = data?.lastFailure ?? null
  const story = '/admin/sign-ins/explanation'
  return (
    <Panel title={t('ways.use')}>
      {error !== null && data === undefined ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? null : (
        <Facts
          rows={[
            [
              t('ways.accounts'),
              data.accounts > mostCounted
                ? t('ways.accountsMore', { count: mostCounted })
                : t('ways.accountsCount', { count: data.accounts }),
            ],
            [
              t('ways.lastSignIn'),
              data.lastSignInAt === null ? t('ways.noneRecently') : <Time key="last" at={data.lastSignInAt} exact />,
            ],
            [t('ways.lastFailure'), failure === null ? t('ways.noneRecently') : <Time key="failure" at={failure.at} exact />],
            [
              t('ways.failure'),
              failure === null ? undefined : (
                <span key="why">
                  <code>{failure.code}</code> {failure.answer}
                </span>
              ),
            ],
            [
              t('ways.request'),
              failure === null ? undefined : screens.has(story) ? (
                <Link key="request" to={`${story}?request=${encodeURIComponent(failure.requestId)}`}>
                  {failure.requestId}
                </Link>
              ) : (
                <Id key="request" id={failure.requestId} />
              ),
            ],
          ]}
        />
      )}
    </Panel>
  )
}
