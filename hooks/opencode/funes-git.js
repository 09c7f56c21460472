// Written by `git funes add opencode`; `git funes remove opencode` deletes it.
// Tells the background worker of funes-git that a turn or a session has ended.
import { spawn } from "node:child_process";

const AGENT = `${process.env.XDG_CONFIG_HOME || `${process.env.HOME}/.config`}/funes-git/bin/funes-git-agent`;
const ENDS = { "session.idle": "turn-end", "session.deleted": "session-end" };

export const FunesGit = async ({ directory }) => ({
  event: async ({ event }) => {
    const end = ENDS[event.type];
    if (!end) return;
    const child = spawn(AGENT, ["opencode", end], { cwd: directory, stdio: "ignore", detached: true });
    child.on("error", () => {});
    child.unref();
  },
});
