"""A student at the hub: logs in, starts a server, pulls, runs notebooks and saves them."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import nbformat
from nbformat.notebooknode import NotebookNode
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from tests.rehearsal.hub import PASSWORD

PATIENCE = 900.0
TRIES = 3
PICTURES = ("image/svg+xml", "application/vnd.jupyter.widget-view+json")
SHOWN = {"stream", "display_data", "execute_result", "error"}
XSRF = "_xsrf"


class RefusedError(Exception):
    """The hub or a server answered with an error.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, status: int, words: str) -> None:
        super().__init__(f"HTTP {status}: {words}")
        self.status = status


@dataclass
class Student:
    """One person at the hub, with a browser's cookies.

    Attributes:
        name: of the user.
        hub: the hub's address, ending with a slash.
        token: what the hub gave this student for their own server.
    """

    name: str
    hub: str
    token: str = ""
    client: httpx.AsyncClient = field(
        default_factory=lambda: httpx.AsyncClient(timeout=PATIENCE, trust_env=False)
    )

    @property
    def server(self) -> str:
        """The address of the student's own server."""
        return f"{self.hub}user/{self.name}/"

    async def log_in(self) -> None:
        """Fill in the hub's form, as in a browser, and get a token."""
        page = f"{self.hub}hub/login"
        await self.client.get(page)
        form = {"username": self.name, "password": PASSWORD, XSRF: self._xsrf()}
        answer = await self.client.post(page, data=form)
        if answer.status_code != httpx.codes.FOUND:
            raise RefusedError(answer.status_code, f"{self.name} cannot log in")
        await self.client.get(f"{self.hub}hub/home", follow_redirects=True)
        made = await self._hub("POST", f"users/{self.name}/tokens", {"note": "rehearsal"})
        self.token = made["token"]

    def _xsrf(self) -> str:
        values = [cookie.value for cookie in self.client.cookies.jar if cookie.name == XSRF]
        return values[-1] or ""

    async def _hub(self, method: str, path: str, data: object = None) -> Any:
        return await self._answer(method, f"{self.hub}hub/api/{path}", data, self._own_page)

    async def start_server(self) -> int:
        """Press "Start My Server", and watch its progress as the hub's page does.

        Returns:
            How often it had to be pressed: a hub out of breath says so and asks to try again.

        Raises:
            RuntimeError: it did not start.
        """
        for pressed in range(1, TRIES + 1):
            await self._hub("POST", f"users/{self.name}/server")
            event = await self._last_event()
            if event.get("ready"):
                return pressed
        raise RuntimeError(f"the server of {self.name} does not start: {event}")

    async def _last_event(self) -> dict[str, Any]:
        """The last that the hub says of the start of a server."""
        event: dict[str, Any] = {}
        address = f"{self.hub}hub/api/users/{self.name}/server/progress"
        async with self.client.stream("GET", address, headers=self._own_page) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    event = json.loads(line.removeprefix("data: "))
        return event

    @property
    def _own_page(self) -> dict[str, str]:
        return {"X-XSRFToken": self._xsrf(), "Referer": f"{self.hub}hub/home"}

    async def api(self, method: str, path: str, data: object = None, of: str = "") -> Any:
        """Ask a server.

        Args:
            method: such as ``"GET"``.
            path: below the server's address.
            data: for the body.
            of: whose server; the student's own when empty.

        Raises:
            RefusedError: it answered with an error.
        """
        address = f"{self.hub}user/{of or self.name}/{path}"
        return await self._answer(method, address, data, self._authorization)

    @property
    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"token {self.token}"}

    async def _answer(
        self, method: str, address: str, data: object, headers: dict[str, str]
    ) -> Any:
        answer = await self.client.request(method, address, json=data, headers=headers)
        if not answer.is_success:
            raise RefusedError(answer.status_code, f"{method} {address}: {answer.text[:300]}")
        return answer.json() if answer.content else None

    async def pull(self, repository: str, branch: str, folder: str) -> list[str]:
        """Follow an nbgitpuller link.

        Args:
            repository: its address.
            branch: its name.
            folder: where to, in the student's home.

        Returns:
            What git said.

        Raises:
            RuntimeError: nbgitpuller gave up.
        """
        query = urlencode({"repo": repository, "branch": branch, "targetpath": folder})
        said, finished = [], False
        async with self.client.stream(
            "GET", f"{self.server}git-pull/api?{query}", headers=self._authorization
        ) as answer:
            if not answer.is_success:
                raise RefusedError(answer.status_code, "git-pull")
            async for line in answer.aiter_lines():
                if not line.startswith("data: "):
                    continue
                event = json.loads(line.removeprefix("data: "))
                said.append(str(event.get("output", event.get("message", ""))).rstrip())
                finished = finished or event["phase"] == "finished"
                if event["phase"] == "error":
                    break
        if not finished:
            raise RuntimeError(f"{self.name} cannot pull: {said}")
        return said

    async def read(self, path: str) -> NotebookNode:
        """Open a notebook."""
        model = await self.api("GET", f"api/contents/{quote(path)}?type=notebook&content=1")
        notebook: NotebookNode = nbformat.from_dict(model["content"])
        return notebook

    async def save(self, path: str, notebook: NotebookNode) -> None:
        """Save a notebook."""
        model = {"type": "notebook", "format": "json", "content": notebook}
        await self.api("PUT", f"api/contents/{quote(path)}", model)

    async def start_kernel(self, path: str) -> Kernel:
        """Start the kernel of a notebook."""
        name = path.rpartition("/")[2]
        wanted = {"path": path, "name": name, "type": "notebook", "kernel": {"name": "python3"}}
        session = await self.api("POST", "api/sessions", wanted)
        number = session["kernel"]["id"]
        address = f"{self.server}api/kernels/{number}/channels".replace("http", "ws", 1)
        request = HTTPRequest(address, headers=self._authorization, request_timeout=PATIENCE)
        return Kernel(await websocket_connect(request, max_message_size=10**9))

    async def close(self) -> None:
        """Close the browser."""
        await self.client.aclose()


@dataclass
class Kernel:
    """A notebook's kernel, spoken to as JupyterLab does."""

    socket: WebSocketClientConnection
    count: int = 0

    async def run(self, source: str, seen: Callable[[Any], None] | None = None) -> list[Any]:
        """Run code, and return its outputs.

        Args:
            source: the code.
            seen: called with each output when it arrives.
        """
        number = uuid.uuid4().hex
        await self.socket.write_message(json.dumps(_execute_request(number, source)))
        outputs: list[Any] = []
        idle = replied = False
        while not (idle and replied):
            raw = await asyncio.wait_for(self.socket.read_message(), PATIENCE)
            if raw is None:
                raise ConnectionError("the kernel's connection was closed")
            message = json.loads(raw)
            if message["parent_header"].get("msg_id") != number:
                continue
            kind, content = message["header"]["msg_type"], message["content"]
            if kind in SHOWN:
                outputs.append(nbformat.v4.output_from_msg(message))
                if seen:
                    seen(outputs[-1])
            elif kind == "execute_input":
                self.count = content["execution_count"]
            replied = replied or kind == "execute_reply"
            idle = idle or (kind == "status" and content["execution_state"] == "idle")
        return outputs

    async def run_notebook(
        self, notebook: NotebookNode, seen: Callable[[Any], None] | None = None
    ) -> None:
        """Run every code cell, and put the outputs into the notebook.

        Args:
            notebook: to run; it is changed.
            seen: called with each output when it arrives.
        """
        for cell in notebook.cells:
            if cell.cell_type == "code" and cell.source.strip():
                cell.outputs = await self.run(cell.source, seen)
                cell.execution_count = self.count

    def close(self) -> None:
        """Close the connection; the kernel goes on."""
        self.socket.close()


def _execute_request(number: str, source: str) -> dict[str, Any]:
    header = {
        "msg_id": number,
        "username": "",
        "session": number,
        "msg_type": "execute_request",
        "version": "5.3",
        "date": "",
    }
    content = {
        "code": source,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": False,
    }
    return {
        "header": header,
        "parent_header": {},
        "metadata": {},
        "content": content,
        "buffers": [],
        "channel": "shell",
    }


def has_picture(output: Any) -> bool:
    """Tell whether an output shows a drawing."""
    return any(kind in output.get("data", {}) for kind in PICTURES)


def printed(outputs: list[Any]) -> str:
    """What a cell printed."""
    return "".join(output["text"] for output in outputs if output["output_type"] == "stream")
