import { useEffect } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Id } from './id.tsx'

/** Returns a function that gives the text of an error: the server's message, with the name of the field or rule that it is about. */
export const useProblem = () => {
  const { t, serverMessage } = useI18n()
  return (error: unknown): string => {
    if (!(error instanceof ApiError)) return t('problem.unknown')
    if (error.code === 'NETWORK') return t('console.failure.noAnswer')
    const fields = error.issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
    return serverMessage(error.code) ?? (fields === '' ? error.message : fields)
  }
}

interface FailureProps {
  readonly error: unknown
  readonly onRetry: () => void
  /** True if nothing else is on the page. */
  readonly isPage?: boolean
}

/**
 * Shown in place of data that could not be loaded. It contains the server's message and the request id, with which operators find the
 * request in the log.
 */
export const Failure = ({ error, onRetry, isPage = false }: FailureProps) => {
  const { t } = useI18n()
  const problem = useProblem()
  const title = t('console.failure.title')
  const Title = isPage ? 'h1' : 'p'
  useEffect(() => {
    if (isPage) document.title = title
  }, [isPage, title])
  return (
    <div className="empty" role="alert">
      <span className="empty-icon empty-bad">
        <Icon name="alert" size={24} />
      </span>
      <Title className="empty-title">{title}</Title>
      <p className="empty-text">{problem(error)}</p>
      {error instanceof ApiError && error.requestId !== undefined ? (
        <p className="empty-detail">
          {t('console.failure.request')} <Id id={error.requestId} />
        </p>
      ) : null}
      <div className="empty-actions">
        <Button kind="secondary" icon="refresh" onClick={onRetry}>
          {t('console.failure.again')}
        </Button>
      </div>
    </div>
  )
}
