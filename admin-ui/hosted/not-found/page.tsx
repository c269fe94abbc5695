import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useTitle } from '../context.tsx'
import { Card, Heading } from '../shell.tsx'

export const NotFoundPage = () => {
  const { t } = useI18n()
  useTitle(t('notFound.title'))
  return (
    <Card>
      <p className="big-number" aria-hidden="true">
        404
      </p>
      <Heading title={t('notFound.title')}>{t('notFound.text')}</Heading>
      <div className="actions">
        {history.length > 1 ? (
          <Button kind="secondary" onClick={() => history.back()}>
            {t('common.goBack')}
          </Button>
        ) : null}
        <LinkButton href="/account">{t('notFound.account')}</LinkButton>
      </div>
    </Card>
  )
}
