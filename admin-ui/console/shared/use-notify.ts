import { notifications } from '@mantine/notifications'
import { useI18n } from '../../shared/text.tsx'

/** Says in a corner what has happened. What went wrong stays until it is closed, and is said at once to people who hear it. */
export const useNotify = () => {
  const { t } = useI18n()
  return (message: string, tone: 'good' | 'bad' = 'good'): void => {
    notifications.show({
      message,
      className: tone === 'bad' ? 'toast-bad' : 'toast-good',
      closeButtonProps: { 'aria-label': t('console.peek.close') },
      role: tone === 'bad' ? 'alert' : 'status',
      ...(tone === 'bad' ? { autoClose: false } : {}),
    })
  }
}
