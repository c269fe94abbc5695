import { notifications } from '@mantine/notifications'
import { useI18n } from '../../shared/text.tsx'

/**
 * Returns a function that shows a notification in a corner of the screen. An error stays until the person closes it, and screen readers
 * read it immediately.
 */
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
