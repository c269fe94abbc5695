import { lazy, useEffect } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { holdRedirect } from '../social/redirect.ts'
import { wordsOf } from './codes.ts'

const Developer = lazy(() => import('./developer.tsx').then(({ Developer }) => ({ default: Developer })))

/** Anybody can write into this page's address: what it says is shown as text, and no more of it than is useful. */
const shorten = (text: string | null) => (text === null || text === 'undefined' ? '' : text.trim().slice(0, 240))

export const ErrorPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  const code = shorten(query.get('error'))
  const words = wordsOf(code)
  const details = [
    { name: t('error.code'), value: code },
    { name: t('error.description'), value: shorten(query.get('error_description')) },
    { name: t('error.requestId'), value: shorten(query.get('request_id')) },
  ].filter(({ value }) => value !== '')
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
