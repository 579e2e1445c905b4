/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool/top/kept_errors.h"

#define ESCAPE_WAIT_MS 25 /* so long a key that begins with ESC may take to be complete */

struct top_screen {
    SCREEN *curses;
    struct kept_errors errors;
    struct top_canvas canvas;
};

int top_screen_new(struct top_screen **ret_screen)
{
    AUTO(top_screen) struct top_screen *screen = calloc(1, sizeof(*screen));
    int r;

    if (!screen)
        return -ENOMEM;
    screen->errors = (struct kept_errors){-1, -1};
    screen->curses = newterm(NULL, stdout, stdin);
    if (!screen->curses)
        return -ENOTTY;
    r = kept_errors_begin(&screen->errors);
    if (r < 0)
        return r;
    top_draw_init(&screen->canvas, top_glyphs(strcmp(nl_langinfo(CODESET), "UTF-8") == 0));
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)curs_set(0);
    (void)set_escdelay(ESCAPE_WAIT_MS);
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    *ret_screen = TAKE(screen);
    return 0;
}

struct top_screen *top_screen_free(struct top_screen *screen)
{
    if (!screen)
        return NULL;
    if (screen->curses) {
        (void)endwin();
        delscreen(screen->curses);
    }
    kept_errors_end(&screen->errors);
    top_draw_done(&screen->canvas);
    free(screen);
    return NULL;
}

void top_screen_renew(struct top_screen *screen)
{
    struct winsize size;

    (void)screen;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        (void)resizeterm(size.ws_row, size.ws_col);
    (void)clearok(stdscr, TRUE);
}

/*
 * The signal is sent once more with its default effect, and not SIGSTOP in its place: the kernel
 * ignores it where no shell could ever let the program go on.
 */
void top_screen_suspend(struct top_screen *screen)
{
    const struct sigaction stop = {.sa_handler = SIG_DFL};
    struct sigaction before;
    sigset_t signals;

    (void)endwin();
    (void)sigaction(SIGTSTP, &stop, &before);
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTSTP);
    (void)raise(SIGTSTP);
    (void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL); /* It stops here, and goes on here. */
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
    (void)sigaction(SIGTSTP, &before, NULL);
    top_screen_renew(screen);
}

bool top_screen_read_key(struct top_screen *screen, wint_t *ret_key, bool *ret_is_function)
{
    wint_t key;
    int r;

    (void)screen;
    do
        r = get_wch(&key);
    while (r == KEY_CODE_YES && key == KEY_RESIZE);
    if (r == ERR)
        return false;
    *ret_key = key;
    *ret_is_function = r == KEY_CODE_YES;
    return true;
}

void top_screen_draw(struct top_screen *screen, const struct top_rows *rows,
                     const struct top_view *view, struct top_state *state,
                     const struct top_about *about, const char *trouble)
{
    top_draw(&screen->canvas, rows, view, state, about, trouble);
}
