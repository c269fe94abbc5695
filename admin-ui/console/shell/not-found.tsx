import { Link } from 'react-router'
import { useI18n } from '../../shared/text.tsx'
import { Empty } from '../shared/empty.tsx'
import { Page } from '../shared/page.tsx'

/** Shown for an unknown address below `/admin`, and for a resource that does not exist. */
export const NotFound = () => {
  const { t } = useI18n()
  return (
    <Page title={t('console.notFound.title')}>
      <Empty icon="search" text={t('console.notFound.text')}>
        <Link className="button button-secondary" to="/admin">
          {t('console.notFound.back')}
        </Link>
      </Empty>
    </Page>
  )
}
