import { lazy, useEffect } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { holdRedirect } from '../social/redirect.ts'
import { knownCode, requestIdIn, wordsOf } from './codes.ts'

const Developer = lazy(() => import('./developer.tsx').then(({ Developer }) => ({ default: Developer })))

/**
 * The error page. Anybody can make a link to it, and it shows the operator's logo. It therefore shows no text from its address other than
 * known codes and ids.
 */
export const ErrorPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  const code = query.get('error') ?? ''
  const words = wordsOf(code)
  const details = [
    { name: t('error.code'), value: knownCode(code) },
    { name: t('error.requestId'), value: requestIdIn(query) },
  ].filter(({ value }) => value !== undefined)
  useTitle(t(words.title))
  useEffect(holdRedirect, [])
  return (
    <Card>
      <span className="emblem emblem-warn">
        <Icon name="alert" size={26} />
      </span>
      <Heading title={t(words.title)}>{t(words.text)}</Heading>
      <div className="actions">
        {history.length > 1 ? (
          <Button kind="secondary" onClick={() => history.back()}>
            {t('common.goBack')}
          </Button>
        ) : null}
        <LinkButton href={pageUrl('/sign-in', query)}>{t('common.toSignIn')}</LinkButton>
      </div>
      {details.length === 0 ? null : (
        <dl className="details" aria-label={t('error.details')}>
          {details.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {query.has('client_id') || query.has('request_id') ? <Developer query={query} /> : null}
    </Card>
  )
}
